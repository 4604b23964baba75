import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/dashboard/first-steps.tsx';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { tokensKey } from '../../tokens/queries.ts';

const DAYS = 90;

/** Creates a token for the first scan. */
export function CreateToken(props: {
  projectId: string;
  onCreated: (token: string) => void;
  again?: boolean;
}) {
  const { projectId, onCreated, again = false } = props;
  const org = useOrg();
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: async () => {
      const body = { name: text.tokenName, expires_in: DAYS };
      return (await org.api.post('/projects/{projectId}/tokens', { params: { path: { projectId } }, body }))
        .result;
    },
    onSuccess: async ({ token }) => {
      onCreated(token);
      await queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  return (
    <Stack gap="sm">
      {!again && <Text size="sm">{text.whatTokenIs(DAYS)}</Text>}
      <Group>
        <Button
          onClick={() => make.mutate()}
          loading={make.isPending}
          {...(again && { variant: 'default', size: 'xs' })}
        >
          {again ? text.createAnotherToken : text.createNewToken}
        </Button>
      </Group>
      {make.error && <Problem error={make.error} />}
    </Stack>
  );
}
