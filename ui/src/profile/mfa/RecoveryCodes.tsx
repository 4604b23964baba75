import { Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/profile/mfa.tsx';
import { api } from '../../app/api.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { recoveryCodesQuery } from '../queries.ts';

const FEW = 3;

/** The number of recovery codes left, and a button for new ones. */
export function RecoveryCodes({ onCreated }: { onCreated: (codes: string[]) => void }) {
  const left = useQuery(recoveryCodesQuery);
  const [opened, { open, close }] = useDisclosure();
  return (
    <Card withBorder component="section" aria-labelledby="recovery">
      <Group justify="space-between" align="flex-start">
        <Stack gap="xs" style={{ flex: '1 1 18rem' }}>
          <Title order={3} id="recovery">
            {text.recoveryCodes}
          </Title>
          <Loaded query={left}>
            {({ remaining, total }) => (
              <>
                <Text size="sm">
                  {(remaining <= FEW ? text.fewCodesLeft : text.codesLeft)(remaining, total)}
                </Text>
                <Progress
                  value={(100 * remaining) / total}
                  color={remaining <= FEW ? 'orange' : 'teal'}
                  maw={240}
                  aria-label={text.recoveryCodesLeft}
                />
              </>
            )}
          </Loaded>
        </Stack>
        <Button variant="default" size="sm" onClick={open}>
          {text.generateCodes}
        </Button>
      </Group>
      <PasswordDialog
        opened={opened}
        onClose={close}
        title={text.askGenerate}
        action={text.generateCodes}
        onConfirm={async (password) => {
          const path = '/profile/mfa/recovery-codes/regenerate';
          onCreated((await api.post(path, { body: { password } })).result.recovery_codes);
        }}
      >
        <Text size="sm">{text.codesInvalid}</Text>
      </PasswordDialog>
    </Card>
  );
}
