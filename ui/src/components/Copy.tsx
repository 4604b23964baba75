import { ActionIcon, Code, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import * as text from '#strings/components.ts';
import { IconCheck, IconCopy } from '../icons/icons.ts';
import { Tip } from './floating/Tip.tsx';

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

/** How long a button confirms that it copied. */
const CONFIRMED_MS = 2_000;

/** Copies a text and confirms it for a moment. */
export function useCopy(value: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    write(value).then(
      () => setCopied(true),
      () =>
        notifications.show({
          color: 'red',
          title: text.copyBlocked,
          message: text.copyManually,
        }),
    );
  return { copied, copy };
}

async function write(value: string): Promise<void> {
  // Without TLS, browsers offer the clipboard API on localhost only. Other pages need the older way.
  if (navigator.clipboard) return navigator.clipboard.writeText(value);
  let isTaken = false;
  const onCopy = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', value);
    isTaken = true;
  };
  document.addEventListener('copy', onCopy);
  document.execCommand('copy');
  document.removeEventListener('copy', onCopy);
  if (!isTaken) throw new Error('The browser refused.');
}
