import { Title } from '@mantine/core';
import { useMemo } from 'react';
import * as words from '#strings/findings/page.tsx';
import { lazyNamed } from '../../app/late.ts';
import { CodeBlock } from '../../components/text/CodeBlock.tsx';
import type { Finding } from '../finding-queries.ts';
import { type Evidence as Code, languageOf, partsOf } from './description-parts.ts';
import { SourceLocation } from './SourceLocation.tsx';

export const MarkdownText = lazyNamed(() => import('../../components/text/MarkdownText.tsx'), 'MarkdownText');

/** How to fix a finding, its evidence, and the rest of its description. Suspends until it can render Markdown. */
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
      <MarkdownText text={text} />
    </section>
  );
}

/** The affected code, with the line of the finding marked. */
function Evidence({ finding, evidence }: { finding: Finding; evidence: Code }) {
  const { file, line } = finding;
  const { code, language, first } = evidence;
  return (
    <section aria-labelledby="evidence">
      <Title order={2} id="evidence" mb="xs">
        {words.evidence}
      </Title>
      <CodeBlock
        code={code}
        language={language ?? languageOf(file)}
        label={words.evidenceCode}
        numbered={first !== undefined}
        {...(first !== undefined && { first, marked: line })}
        {...(file && {
          title: (
            <code>
              <SourceLocation finding={finding} />
            </code>
          ),
        })}
      />
    </section>
  );
}
