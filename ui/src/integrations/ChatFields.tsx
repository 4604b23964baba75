import { Anchor, MultiSelect, Select, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import * as text from '#strings/integrations.tsx';
import { SEVERITIES } from '../app/search.ts';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { ANY, type ChatIntegration, type IntegrationValues } from './values.ts';

export interface Option {
  value: string;
  label: string;
}

interface Props {
  form: UseFormReturnType<IntegrationValues>;
  kind: ChatIntegration['kind'];
  /** Unset: a new one. */
  integration: ChatIntegration | undefined;
}

/** The link to the page of a vendor. */
export const Instructions = ({ href, children }: { href: string; children: string }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
    {children}
  </Anchor>
);

/** The address of a chat service, which is its secret. */
export function ChatAddress({ form, kind, integration }: Props) {
  const { hint, href } = text.help[kind];
  return (
    <>
      <Text size="sm">
        {hint} <Instructions href={href}>{text.instructions(text.services[kind])}</Instructions>
      </Text>
      <TextInput
        label={text.url}
        description={integration ? text.urlKept : text.urlHint}
        placeholder={text.urlExample(integration?.host ?? text.hosts[kind])}
        type="url"
        maxLength={2_048}
        required={!integration}
        autoComplete="off"
        {...form.getInputProps('url')}
      />
    </>
  );
}

/** The findings that a chat service is told. */
export const ChatFilters = ({ form, projects }: Pick<Props, 'form'> & { projects: Option[] }) => (
  <>
    <MultiSelect
      label={text.muted}
      placeholder={form.values.muted_project_ids.length === 0 ? text.noProjects : ''}
      data={projects}
      searchable
      {...form.getInputProps('muted_project_ids')}
    />
    <Select
      label={text.minSeverity}
      description={text.minSeverityHint}
      allowDeselect={false}
      data={[
        { value: ANY, label: text.anySeverity },
        ...SEVERITIES.map((value) => ({ value, label: SEVERITY_NAMES[value] })),
      ]}
      {...form.getInputProps('min_severity')}
    />
  </>
);
