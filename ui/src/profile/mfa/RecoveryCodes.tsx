import { Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/api.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { recoveryCodesQuery } from '../queries.ts';

const FEW = 3;

/** How many recovery codes are left, and new ones. */
export function RecoveryCodes({ onMade }: { onMade: (codes: string[]) => void }) {
  const left = useQuery(recoveryCodesQuery);
  const [opened, { open, close }] = useDisclosure();
  return (
    <Card withBorder component="section" aria-labelledby="recovery">
      <Group justify="space-between" align="flex-start">
        <Stack gap="xs" style={{ flex: '1 1 18rem' }}>
          <Title order={3} id="recovery">
            Recovery codes
          </Title>
          <Loaded query={left}>
            {({ remaining, total }) => (
              <>
                <Text size="sm">
                  {remaining} of {total} left.
                  {remaining <= FEW && ' Make new ones before they run out.'}
                </Text>
                <Progress
                  value={(100 * remaining) / total}
                  color={remaining <= FEW ? 'orange' : 'teal'}
                  maw={240}
                  aria-label="Recovery codes left"
                />
              </>
            )}
          </Loaded>
        </Stack>
        <Button variant="default" size="sm" onClick={open}>
          Make new codes
        </Button>
      </Group>
      <PasswordDialog
        opened={opened}
        onClose={close}
        title="Make new recovery codes?"
        action="Make new codes"
        onConfirm={async (password) => {
          const path = '/profile/mfa/recovery-codes/regenerate';
          onMade((await api.post(path, { body: { password } })).result.recovery_codes);
        }}
      >
        <Text size="sm">Those you have no longer work then.</Text>
      </PasswordDialog>
    </Card>
  );
}
