import { Checkbox, List, ScrollArea, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/members.tsx';
import type { OrgSession } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { securityQuery } from '../settings/queries.ts';
import { tokensQuery } from '../tokens/queries.ts';
import { ScopeNames } from '../tokens/scopes/Scopes.tsx';
import { isUsable } from '../tokens/token-state.ts';

interface TokensNoteProps {
  org: OrgSession;
  /** The meaning of each rule for the rights that are lost. */
  texts?: typeof text.theirTokens;
}

/** States the rule of the organization for tokens of a member who loses rights. */
export function TokensNote({ org, texts = text.theirTokens }: TokensNoteProps) {
  const settings = useQuery(securityQuery(org));
  return (
    <Loaded query={settings}>
      {({ tokens_on_role_loss: rule }) => <Text size="sm">{texts[rule]}</Text>}
    </Loaded>
  );
}

interface TheirTokensProps {
  /** The dialog is rendered outside the router, whose context it lacks. */
  org: OrgSession;
  userId: string;
  texts?: TokensNoteProps['texts'];
  /** Offers to revoke the tokens. */
  onRevoke?: (revoke: boolean) => void;
}

/** The active API tokens that a member has created, and what becomes of them. */
export function TheirTokens({ org, userId, texts, onRevoke }: TheirTokensProps) {
  const tokens = useQuery(tokensQuery(org));
  const [isRevoked, setRevoked] = useState(false);
  return (
    <Loaded query={tokens}>
      {(all) => {
        const own = all.filter((token) => token.created_by === userId && isUsable(token));
        if (own.length === 0) return <Text size="sm">{text.noTokens}</Text>;
        return (
          <Stack gap="xs">
            <Text size="sm">{text.createdTokens(own.length)}</Text>
            <ScrollArea.Autosize mah={160}>
              <List size="sm">
                {own.map(({ id, name, scopes }) => (
                  <List.Item key={id}>
                    <bdi>{name}</bdi> <ScopeNames scopes={scopes} />
                  </List.Item>
                ))}
              </List>
            </ScrollArea.Autosize>
            <TokensNote org={org} {...(texts && { texts })} />
            {onRevoke && (
              <Checkbox
                label={text.revokeTheirTokens}
                checked={isRevoked}
                onChange={({ currentTarget }) => {
                  setRevoked(currentTarget.checked);
                  onRevoke(currentTarget.checked);
                }}
              />
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}
