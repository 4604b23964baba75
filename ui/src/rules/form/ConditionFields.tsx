import { MultiSelect, SimpleGrid, TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/rules/form.ts';
import { SEVERITIES } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { SEVERITY_NAMES } from '../../findings/Severity.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { PERSONA_NAMES } from '../../scans/persona.ts';
import type { Condition, RuleValues } from '../values.ts';
import { options } from './options.ts';
import { Section } from './Section.tsx';

/** The conditions of a rule. */
export function ConditionFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  const projects = useQuery(projectsQuery(useOrg())).data ?? [];
  const { values } = form;
  const field = (name: Condition, example: string) => ({
    placeholder: values[name].length === 0 ? example : undefined,
    ...form.getInputProps(name),
  });
  const typed = { splitChars: [','], acceptValueOnBlur: true };
  return (
    <Section title={text.conditions} description={text.howConditionsWork}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          label={text.project}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          selectFirstOptionOnChange
          {...field('project_id', text.any)}
        />
        <MultiSelect
          label={text.severity}
          data={options(SEVERITY_NAMES, SEVERITIES)}
          {...field('severity', text.any)}
        />
        <TagsInput
          label={text.title}
          description={text.titlePattern}
          {...typed}
          {...field('title', text.titleExample)}
        />
        <TagsInput
          label={text.file}
          description={text.filePattern}
          {...typed}
          {...field('path', text.fileExample)}
        />
        <TagsInput label={text.scanner} {...typed} {...field('source', text.scannerExample)} />
        <MultiSelect
          label={text.kindOfScan}
          data={options(PERSONA_NAMES, ['sharingan', 'senku', 'killua'])}
          {...field('persona', text.any)}
        />
        <TagsInput label={text.cwe} {...typed} {...field('cwe', text.cweExample)} />
        <TagsInput label={text.cve} {...typed} {...field('cve', text.cveExample)} />
      </SimpleGrid>
    </Section>
  );
}
