import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';

/** How long a button confirms that it copied. */
const CONFIRMED_MS = 2_000;

/** Copies a text and confirms it for a moment. */
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    write(text).then(
      () => setCopied(true),
      () =>
        notifications.show({
          color: 'red',
          title: 'The browser blocked copying',
          message: 'Select the text and copy it manually.',
        }),
    );
  return { copied, copy };
}

async function write(text: string): Promise<void> {
  // Without TLS, browsers offer the clipboard API on localhost only. Other pages need the older way.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  let isTaken = false;
  const onCopy = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    isTaken = true;
  };
  document.addEventListener('copy', onCopy);
  document.execCommand('copy');
  document.removeEventListener('copy', onCopy);
  if (!isTaken) throw new Error('The browser refused.');
}
