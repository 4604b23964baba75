import { Select, type SelectProps, Stack, Text } from '@mantine/core';
import * as text from '#strings/tokens/scopes.ts';
import type { Schemas } from '../../app/api.ts';
import { Copyable } from '../../components/Copy.tsx';
import { ShownOnce } from '../../components/ShownOnce.tsx';

export type Scope = Schemas['ApiToken']['scopes'][number];

const isScope = (value: string): value is Scope => value in text.names;

interface Props extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  /** From the least to the most. */
  scopes: readonly Scope[];
  value: Scope;
  onChange: (scope: Scope) => void;
}

/** Chooses what a token is for. */
export function ScopeSelect({ scopes, value, onChange, ...props }: Props) {
  return (
    <Select
      label={text.scope}
      description={`${text.chooseLeast} ${text.noMembers}`}
      data={scopes.map((scope) => ({ value: scope, label: text.purposes[scope] }))}
      allowDeselect={false}
      value={value}
      onChange={(chosen) => chosen !== null && isScope(chosen) && onChange(chosen)}
      {...props}
    />
  );
}

/** The scopes of a token. */
export const ScopeNames = ({ scopes }: { scopes: readonly Scope[] }) => (
  <Text size="xs" c="dimmed" component="span">
    {scopes.map((scope) => text.names[scope]).join(', ')}
  </Text>
);

interface ShownProps {
  token: string;
  /** The organization of the example, for a token for scripts. A token without one is for agents. */
  slug: string | undefined;
  onClose: () => void;
}

/** A new token, which is shown only once, and a command that uses it. */
export function TokenShown({ token, slug, onClose }: ShownProps) {
  const command =
    slug === undefined
      ? `export SVC_API_KEY=${token}`
      : // The header is for servers without a base domain.
        `curl -H "Authorization: Bearer ${token}" -H "X-Org-Slug: ${slug}" "${location.origin}/api/v1/findings?format=csv"`;
  return (
    <ShownOnce
      warning={slug === undefined ? text.agentTokenShownOnce : text.tokenShownOnce}
      saved={text.tokenSaved}
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {text.token}
        </Text>
        <Copyable value={token} label={text.copyToken} />
      </Stack>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {slug === undefined ? text.shellCommand : text.exportFindings}
        </Text>
        <Copyable value={command} label={text.copyCommand} />
      </Stack>
    </ShownOnce>
  );
}
