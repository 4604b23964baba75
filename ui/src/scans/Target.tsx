import { Anchor, Text } from '@mantine/core';
import * as words from '#strings/scans.tsx';
import type { Scan } from './queries.ts';

/** The address if it is an HTTP URL. Other addresses must not become links. */
function webAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}

interface Props {
  target: Scan['target'];
  /** Whether the protocol is left out, for narrow columns. */
  short?: boolean;
}

/** The target of a scan, as the agent reported it. */
export function Target({ target, short = false }: Props) {
  const { type, url, path, ref } = target ?? {};
  const href = url && webAddress(url);
  const text = short ? url?.replace(/^https?:\/\//i, '') : url;
  const parts = [
    url &&
      (href ? (
        <Anchor key="url" href={href} target="_blank" rel="noopener noreferrer nofollow" inherit>
          <bdi>{text}</bdi>
        </Anchor>
      ) : (
        <bdi key="url">{url}</bdi>
      )),
    path && <bdi key="path">{path}</bdi>,
    ref && <span key="ref">{words.atRevision(<bdi>{ref}</bdi>)}</span>,
  ].filter(Boolean);
  if (parts.length === 0) {
    return type ? (
      <bdi>{type}</bdi>
    ) : (
      <Text span inherit c="dimmed">
        {words.notSpecified}
      </Text>
    );
  }
  return <>{parts.flatMap((part, index) => (index === 0 ? [part] : [' ', part]))}</>;
}
