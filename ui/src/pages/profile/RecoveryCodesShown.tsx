import { Box, Button, Code, CopyButton, Group, Modal, SimpleGrid, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react';
import { KEPT_OPEN, ShownOnce } from '../../parts/ShownOnce.tsx';
import { dateTime } from '../../parts/Time.tsx';
import { useMe } from '../../session.ts';
import classes from './RecoveryCodes.module.css';

/** Shows new recovery codes, this once. */
export function RecoveryCodesShown({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title="Your recovery codes"
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
  const about = `Recovery codes of ${user.email} at ${location.host}, made ${dateTime(new Date())}. Each works once.`;
  const text = `${about}\n\n${codes.join('\n')}\n`;
  return (
    <ShownOnce
      warning="This is the only time they are shown. Each of them works once, in place of a code, when you have neither your app nor your mail at hand. Keep them where you do not keep your password."
      saved="I have saved them"
      onClose={onClose}
    >
      <Box className={classes.printed}>
        <Text className={classes.about}>{about}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" component="ul" className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>
              <Code block ta="center" fz="md" className={classes.code}>
                {code}
              </Code>
            </li>
          ))}
        </SimpleGrid>
      </Box>
      <Group gap="xs">
        <CopyButton value={text} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => download(text, 'recovery-codes.txt')}
        >
          Download
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
    </ShownOnce>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
