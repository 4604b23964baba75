import { Box, Button, Code, Group, Modal, SimpleGrid, Text } from '@mantine/core';
import * as text from '#strings/profile/mfa.tsx';
import { useMe } from '../../app/session.ts';
import { useCopy } from '../../components/Copy.tsx';
import { KEPT_OPEN, ShownOnce } from '../../components/ShownOnce.tsx';
import { saveFile } from '../../components/save-file.ts';
import { dateTime } from '../../components/time/Time.tsx';
import { IconCheck, IconCopy, IconDownload, IconPrinter } from '../../icons/icons.ts';
import classes from './RecoveryCodes.module.css';

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
