import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import * as text from '#strings/components.ts';

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
