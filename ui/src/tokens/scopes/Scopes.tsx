import { Select, type SelectProps, Text } from '@mantine/core';
import * as text from '#strings/tokens/scopes.ts';
import type { Schemas } from '../../app/api.ts';

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
