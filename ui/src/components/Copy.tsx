import { ActionIcon, Code, Group } from '@mantine/core';
import * as text from '#strings/components.ts';
import { IconCheck, IconCopy } from '../icons/icons.ts';
import { Tip } from './floating/Tip.tsx';
import { useCopy } from './use-copy.ts';

/** A button that copies a text. */
export function Copy({ value, label = text.copy }: { value: string; label?: string }) {
  const { copied, copy } = useCopy(value);
  return (
    <Tip label={copied ? text.copied : label}>
      <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={label}>
        {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tip>
  );
}

/** A text with a button that copies it, such as a token or a command. */
export function Copyable({ value, label, block }: { value: string; label?: string; block?: boolean }) {
  return (
    <Group gap="xs" wrap="nowrap" align={block ? 'flex-start' : 'center'}>
      <Code
        block={block ?? false}
        style={{ flex: 1, minWidth: 0, overflowX: 'auto', whiteSpace: block ? 'pre' : 'nowrap' }}
        p="xs"
        // A scrollable element must be reachable by keyboard.
        tabIndex={0}
      >
        {value}
      </Code>
      <Copy value={value} {...(label !== undefined && { label })} />
    </Group>
  );
}
