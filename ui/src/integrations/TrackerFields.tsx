import { Select, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import * as text from '#strings/integrations.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { Instructions } from './ChatFields.tsx';
import {
  type IntegrationValues,
  isElsewhere,
  isJiraCloud,
  type TrackerIntegration,
  type TrackerKind,
} from './values.ts';

const MAX_LABELS = 10;

interface Props {
  form: UseFormReturnType<IntegrationValues>;
  kind: TrackerKind;
  /** Unset: a new one. */
  integration: TrackerIntegration | undefined;
}

/** The place of the issues of a tracker, and the token for it. */
export function TrackerAccess({ form, kind, integration }: Props) {
  const { url } = form.values;
  const tracker = text.trackers[kind];
  const needsToken = !integration || isElsewhere(integration, form.values);
  return (
    <>
      <TextInput
        label={text.url}
        description={tracker.urlHint}
        placeholder={tracker.urlExample}
        type="url"
        maxLength={2_048}
        required
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <TextInput
        label={tracker.project}
        placeholder={tracker.projectExample}
        maxLength={1_000}
        required
        autoComplete="off"
        {...form.getInputProps('project')}
      />
      {kind === 'jira' && (
        <TextInput
          label={text.email}
          description={text.emailHint}
          placeholder={text.emailExample}
          type="email"
          maxLength={254}
          required={isJiraCloud(url)}
          autoComplete="off"
          {...form.getInputProps('email')}
        />
      )}
      <PasswordField
        label={text.token}
        description={!integration ? text.tokenHint : needsToken ? text.tokenNeeded : text.tokenKept}
        maxLength={1_000}
        required={needsToken}
        withAsterisk={needsToken}
        autoComplete="new-password"
        {...form.getInputProps('token')}
      />
      <TokenHelp kind={kind} url={url} />
    </>
  );
}

/** Says how to make a token that may do no more than it must. */
function TokenHelp({ kind, url }: { kind: TrackerKind; url: string }) {
  const isDataCenter = kind === 'jira' && /^https?:\/\/\S/.test(url) && !isJiraCloud(url);
  const { name, hint, href } = text.tokenHelp[isDataCenter ? 'jiraDataCenter' : kind];
  return (
    <Text size="sm">
      {hint} <Instructions href={href}>{text.createToken(name)}</Instructions>
    </Text>
  );
}

/** The form of issues, and what happens to them when findings are resolved. */
export const TrackerIssues = ({ form, kind }: Omit<Props, 'integration'>) => (
  <>
    {kind === 'jira' && (
      <TextInput
        label={text.issueType}
        description={text.issueTypeHint}
        maxLength={60}
        required
        autoComplete="off"
        {...form.getInputProps('issue_type')}
      />
    )}
    <TagsInput
      label={text.labels}
      description={text.labelsHint}
      placeholder={form.values.labels.length === 0 ? text.labelExample : ''}
      maxTags={MAX_LABELS}
      splitChars={[',']}
      acceptValueOnBlur
      {...form.getInputProps('labels')}
    />
    <Select
      label={text.onResolved}
      description={text.onResolvedHint}
      allowDeselect={false}
      data={options(text.resolvedRules)}
      {...form.getInputProps('on_resolved')}
    />
    <Select
      label={text.onClosed}
      description={text.onClosedHint}
      allowDeselect={false}
      data={options(text.closedRules)}
      {...form.getInputProps('on_closed')}
    />
  </>
);

const options = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
