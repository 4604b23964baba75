import {
  Box,
  Button,
  Card,
  Code,
  Group,
  Modal,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/profile/mfa.tsx';
import { api } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { useCopy } from '../../components/Copy.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { KEPT_OPEN, ShownOnce } from '../../components/ShownOnce.tsx';
import { saveFile } from '../../components/save-file.ts';
import { dateTime } from '../../components/time/Time.tsx';
import { IconCheck, IconCopy, IconDownload, IconPrinter } from '../../icons/icons.ts';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { recoveryCodesQuery } from '../queries.ts';
import classes from './RecoveryCodes.module.css';

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

/** Shows new recovery codes once. */
export function RecoveryCodesShown({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title={text.yourCodes}
      size="lg"
      returnFocus={false}
      {...KEPT_OPEN}
    >
      {codes && <Codes codes={codes} onClose={onClose} />}
    </Modal>
  );
}

function Codes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { user } = useMe();
  const about = text.aboutCodes(user.email, location.host, dateTime(new Date()));
  const file = `${about}\n\n${codes.join('\n')}\n`;
  const { copied, copy } = useCopy(file);
  return (
    <ShownOnce warning={text.codesShownOnce} saved={text.codesSaved} onClose={onClose}>
      <Box className={classes.printed}>
        <Text className={classes.about}>{about}</Text>
        <SimpleGrid cols={1} spacing="xs" component="ul" className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>
              <Code block ta="center" px="xs" className={classes.code}>
                {code}
              </Code>
            </li>
          ))}
        </SimpleGrid>
      </Box>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={copy}
        >
          {copied ? text.copied : text.copy}
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile(new File([file], 'recovery-codes.txt', { type: 'text/plain' }))}
        >
          {text.download}
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          {text.print}
        </Button>
      </Group>
    </ShownOnce>
  );
}
