import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
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
      source_url: (text) => {
        const problem = text.trim() === '' ? undefined : sourceUrlProblem(text.trim());
        return problem === undefined ? null : problem.charAt(0).toUpperCase() + problem.slice(1);
      },
    },
    validateInputOnBlur: true,
  });
  const example = sourceLink(form.values.source_url.trim(), EXAMPLE);
  return (
    <SettingsCard
      title="Links to the code"
      description="Findings link to their file and line at the scanned commit, or else to the branch of the scan or the default branch."
      form={form}
      saved="The links are saved."
      save={async ({ source_url }) => {
        return toValues(await saveProject({ source_url: source_url.trim() || null }));
      }}
    >
      <Stack gap={6}>
        <TextInput
          label="Repository"
          description="An address on GitHub, GitLab, Bitbucket or Azure DevOps. For other hosts, a template with {path} and, if needed, {commit}, {branch} and {line}."
          placeholder="https://github.com/acme/web-shop"
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
          {example === undefined ? (
            'Without a repository, findings have no links to the code.'
          ) : (
            <>
              Example:{' '}
              <Anchor href={example} target="_blank" rel="noopener noreferrer" inherit>
                {example}
              </Anchor>
            </>
          )}
        </Text>
      </Stack>
    </SettingsCard>
  );
}
