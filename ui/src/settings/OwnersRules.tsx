import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsShown } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { securityQuery } from './queries.ts';

export type SecuritySettings = Schemas['SecuritySettings'];

interface Props {
  title: string;
  /** The rules in words, for members who do not change them. */
  linesOf: (settings: SecuritySettings) => string[];
  /** The form of owners. */
  children: (settings: SecuritySettings) => ReactNode;
}

/** Rules of the security settings that owners change. */
export function OwnersRules({ title, linesOf, children }: Props) {
  const org = useOrg();
  const settings = useQuery(securityQuery(org));
  return (
    <Loaded query={settings}>
      {(current) =>
        org.role === 'owner' ? (
          children(current)
        ) : (
          <SettingsShown title={title} lines={linesOf(current)} whoChanges={text.ownersChangeTokenRules} />
        )
      }
    </Loaded>
  );
}

/** The value of a select that is for no limit. */
export const NO_LIMIT = '';

export const limitOf = (value: string): number | null => (value === NO_LIMIT ? null : Number(value));

export const limitText = (value: number | null, none: string, toText: (value: number) => string): string =>
  value === null ? none : toText(value);

/** Options of a limit: none, the usual ones, and the present one. */
export const limitOptions = (
  usual: readonly number[],
  current: number | null,
  none: string,
  toText: (value: number) => string,
) => [
  { value: NO_LIMIT, label: none },
  ...[...new Set([...usual, ...(current === null ? [] : [current])])]
    .sort((a, b) => a - b)
    .map((value) => ({ value: String(value), label: toText(value) })),
];
