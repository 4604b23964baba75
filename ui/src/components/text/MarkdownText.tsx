import { Box, Button, Stack, Typography } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { CatchBoundary } from '@tanstack/react-router';
import { memo, useDeferredValue, useEffect, useMemo, useState } from 'react';
import * as words from '#strings/components/text.ts';
import { MarkdownPiece } from './MarkdownPiece.tsx';
import classes from './MarkdownText.module.css';
import { headingLevels, type Piece, piecesOf } from './markdown-pieces.ts';
import type { Mention } from './mentions.ts';

/** Longer texts are shown in full on request. */
const FIRST_LENGTH = 8000;

interface Props {
  text: string;
  /** The members that the text mentions. Without it, a mention is a link. */
  mentions?: readonly Mention[] | undefined;
}

/** Untrusted Markdown. It is rendered piece by piece, so that the page stays responsive. */
export function MarkdownText({ text, mentions }: Props) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  const levels = useMemo(() => headingLevels(text), [text]);
  const first = useMemo(() => countUpTo(pieces, FIRST_LENGTH), [pieces]);
  const [whole, setWhole] = useState(false);
  const [count, setCount] = useState(1);
  const printing = useMediaQuery('print');
  const wanted = whole || printing ? pieces.length : first;
  // Rendering a piece yields to clicks and keys.
  const done = useDeferredValue(count);
  useEffect(() => {
    if (done === count && count < wanted) setCount(count + 1);
  }, [done, count, wanted]);
  const kilobytes = Math.ceil(new Blob([text]).size / 1024);
  return (
    <Stack gap="sm" aria-busy={done < wanted}>
      <Typography className={classes.text} dir="auto">
        {pieces.slice(0, done).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces never change places
          <Rendered key={index} piece={piece} levels={levels} mentions={mentions} />
        ))}
      </Typography>
      {!whole && !printing && first < pieces.length && (
        <Button
          variant="default"
          size="xs"
          onClick={() => setWhole(true)}
          style={{ alignSelf: 'flex-start' }}
        >
          {words.showAllKilobytes(kilobytes)}
        </Button>
      )}
    </Stack>
  );
}

const Rendered = memo(function Rendered({
  piece: { text, plain },
  levels,
  mentions,
}: Pick<Props, 'mentions'> & {
  piece: Piece;
  levels: number[];
}) {
  const written = (
    // A scrollable element must be reachable by keyboard.
    <Box className={classes.plain} dir="auto" role="group" aria-label={words.unformattedText} tabIndex={0}>
      {text}
    </Box>
  );
  if (plain) return written;
  return (
    <CatchBoundary getResetKey={() => text} errorComponent={() => written}>
      <MarkdownPiece text={text} levels={levels} mentions={mentions} fallback={written} />
    </CatchBoundary>
  );
});

/** The number of pieces within a length, at least one. */
function countUpTo(pieces: readonly Piece[], length: number): number {
  let sum = 0;
  const over = pieces.findIndex(({ text }) => {
    sum += text.length;
    return sum > length;
  });
  return over === -1 ? pieces.length : Math.max(over, 1);
}
