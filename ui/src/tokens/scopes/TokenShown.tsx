import { Stack, Text } from '@mantine/core';
import * as text from '#strings/profile/tokens.ts';
import { Copyable } from '../../components/Copy.tsx';
import { ShownOnce } from '../../components/ShownOnce.tsx';

/** A command that exports the findings of an organization. The header is for servers without a base domain. */
const exportCommand = (token: string, slug: string) =>
  `curl -H "Authorization: Bearer ${token}" -H "X-Org-Slug: ${slug}" "${location.origin}/api/v1/findings?format=csv"`;

/** A new token for scripts, which is shown only once. */
export function TokenShown(props: { token: string; slug: string; onClose: () => void }) {
  const { token, slug, onClose } = props;
  return (
    <ShownOnce warning={text.shownOnce} saved={text.saved} onClose={onClose}>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {text.token}
        </Text>
        <Copyable value={token} label={text.copyToken} />
      </Stack>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {text.command}
        </Text>
        <Copyable value={exportCommand(token, slug)} label={text.copyCommand} />
      </Stack>
    </ShownOnce>
  );
}
