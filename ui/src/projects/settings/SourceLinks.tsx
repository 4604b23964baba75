import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import * as text from '#strings/projects/settings.tsx';
import { MAX_SOURCE_URL, sourceLink, sourceUrlProblem } from '../../../../lib/projects/source-links.ts';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { type Project, useSaveProject } from './use-save-project.ts';

/** A place that shows all parts of a link. */
const EXAMPLE = {
  path: 'src/app.ts',
  line: 42,
  commit: '4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0',
  branch: 'main',
};

const toValues = ({ source_url = '' }: Project) => ({ source_url });

/** The repository of a project, to which findings link. */
export function SourceLinks({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({
    initialValues: toValues(project),
    validate: {
      source_url: (url) => {
        const problem = url.trim() === '' ? undefined : sourceUrlProblem(url.trim());
        return problem === undefined ? null : problem.charAt(0).toUpperCase() + problem.slice(1);
      },
    },
    validateInputOnBlur: true,
  });
  const example = sourceLink(form.values.source_url.trim(), EXAMPLE);
  return (
    <SettingsCard
      title={text.linksToCode}
      description={text.whereLinksLead}
      form={form}
      saved={text.linksSaved}
      save={async ({ source_url }) => {
        return toValues(await saveProject({ source_url: source_url.trim() || null }));
      }}
    >
      <Stack gap={6}>
        <TextInput
          label={text.repository}
          description={text.whichRepository}
          placeholder={text.exampleOfRepository}
          type="url"
          inputMode="url"
          maxLength={MAX_SOURCE_URL}
          maw="44rem"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('source_url')}
        />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }} mih={{ base: '4.7em', sm: '1.6em' }}>
          {example === undefined
            ? text.noLinks
            : text.example(
                <Anchor href={example} target="_blank" rel="noopener noreferrer" inherit>
                  {example}
                </Anchor>,
              )}
        </Text>
      </Stack>
    </SettingsCard>
  );
}
