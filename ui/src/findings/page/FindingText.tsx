import { Title } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import * as words from '#strings/findings/page.tsx';
import { late } from '../../app/late.ts';
import { TextSkeleton } from '../../components/text/TextSkeleton.tsx';
import type { Finding } from '../finding-queries.ts';
import { partsOf } from './description-parts.ts';
import { Evidence } from './Evidence.tsx';

const MarkdownText = lazy(
  late(async () => ({ default: (await import('../../components/text/MarkdownText.tsx')).MarkdownText })),
);

/** How to fix a finding, its evidence, and the rest of its description. */
export function FindingText({ finding }: { finding: Finding }) {
  const { description, line, source } = finding;
  const { fix, evidence, rest } = useMemo(
    () => partsOf(description, line, source),
    [description, line, source],
  );
  return (
    <>
      {fix && <Prose id="fix" title={words.howToFix} text={fix} />}
      {evidence && <Evidence finding={finding} evidence={evidence} />}
      {(rest || (!fix && !evidence)) && <Prose id="description" title={words.description} text={rest} />}
    </>
  );
}

function Prose({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      <Suspense fallback={<TextSkeleton />}>
        <MarkdownText text={text} />
      </Suspense>
    </section>
  );
}
