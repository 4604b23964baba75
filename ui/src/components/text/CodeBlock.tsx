import { ActionIcon, Box, Button, Group, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense, useMemo, useState } from 'react';
import * as text from '#strings/components/text.ts';
import { lazyNamed } from '../../app/late.ts';
import { IconTextWrap } from '../../icons/icons.ts';
import { Copy } from '../Copy.tsx';
import { Tip } from '../floating/Tip.tsx';
import classes from './CodeBlock.module.css';

const HighlightedCode = lazyNamed(() => import('./CodeHighlight.tsx'), 'CodeHighlight');

/** Longer code is not highlighted, because it would take too long. */
const MAX_HIGHLIGHTED = 100_000;
const FIRST_LINES = 200;
/** Longer code is one element without line numbers. */
const MAX_LINES = 10_000;

interface Props {
  code: string;
  /** As reported. Unknown languages are not highlighted. */
  language?: string | undefined;
  /** The label for screen readers. */
  label: string;
  /** Whether lines are numbered. */
  numbered?: boolean;
  /** The number of the first line. */
  first?: number;
  /** The number of the line that is marked. */
  marked?: number | undefined;
  /** Shown before the buttons. */
  title?: ReactNode;
  /** Further buttons. */
  actions?: ReactNode;
}

/** Source code as text. Long lines scroll or wrap. */
export function CodeBlock(props: Props) {
  const { code, language, label, numbered = false, first = 1, marked, title, actions } = props;
  const [wrap, setWrap] = useState(false);
  const [whole, setWhole] = useState(false);
  const content = useMemo(() => readable(code), [code]);
  const lines = useMemo(() => content.split('\n'), [content]);
  const printing = useMediaQuery('print');
  const cut = !whole && !printing && lines.length > FIRST_LINES * 1.2;
  const shown = cut ? lines.slice(0, FIRST_LINES) : lines;
  const plain =
    shown.length > MAX_LINES ? (
      shown.join('\n')
    ) : (
      <PlainLines lines={shown} marked={marked === undefined ? undefined : marked - first} />
    );
  const highlights = language !== undefined && content.length <= MAX_HIGHLIGHTED && shown.length <= MAX_LINES;
  const wrapLabel = wrap ? text.doNotWrapLines : text.wrapLines;
  return (
    <div className={classes.frame}>
      <Group className={classes.bar} justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" component="div" className={classes.title}>
          {title ?? <bdi>{language ?? text.plainText}</bdi>}
        </Text>
        <Group gap={2} wrap="nowrap" ml="auto">
          <Tip label={wrapLabel}>
            <ActionIcon
              variant={wrap ? 'light' : 'subtle'}
              color="gray"
              aria-label={text.wrapLines}
              aria-pressed={wrap}
              onClick={() => setWrap(!wrap)}
            >
              <IconTextWrap size={16} />
            </ActionIcon>
          </Tip>
          <Copy value={code} label={text.copyText(label)} />
          {actions}
        </Group>
      </Group>
      {/* A scrollable element must be reachable by keyboard. */}
      <Box role="group" aria-label={label} tabIndex={0} className={classes.scroll}>
        <Box
          component="pre"
          dir="ltr"
          className={classes.code}
          data-wrap={wrap || undefined}
          data-numbered={numbered || undefined}
          __vars={{
            '--digits': String(String(first + shown.length - 1).length),
            '--before': String(first - 1),
          }}
        >
          <code>
            {highlights ? (
              <CatchBoundary getResetKey={() => content} errorComponent={() => plain}>
                <Suspense fallback={plain}>
                  <HighlightedCode
                    code={content}
                    language={language}
                    lines={shown.length}
                    marked={marked === undefined ? undefined : marked - first}
                    fallback={plain}
                  />
                </Suspense>
              </CatchBoundary>
            ) : (
              plain
            )}
          </code>
        </Box>
      </Box>
      {cut && (
        <Button variant="subtle" size="compact-sm" fullWidth radius={0} onClick={() => setWhole(true)}>
          {text.showAllLines(lines.length)}
        </Button>
      )}
    </div>
  );
}

/** Bidirectional control characters make code look different. They are replaced by their names. */
const readable = (code: string): string =>
  code
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (mark) => {
      const point = mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return `[U+${point}]`;
    });

function PlainLines({ lines, marked }: { lines: readonly string[]; marked: number | undefined }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
    <span key={index} className={classes.line} data-marked={index === marked || undefined}>
      {line || '\n'}
    </span>
  ));
}
