import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';

/** How long it is said that something was copied. */
const SAID_MS = 2_000;

/** Copies a text, and says for a moment that it did. */
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    write(text).then(
      () => setCopied(true),
      () =>
        notifications.show({
          color: 'red',
          title: 'The browser does not let this page copy',
          message: 'Select the text, and copy it by hand.',
        }),
    );
  return { copied, copy };
}

async function write(text: string): Promise<void> {
  // Browsers give it to pages with TLS and of this machine only; the others have the older way.
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
