import { Title } from '@mantine/core';
import * as text from '#strings/findings/page.tsx';
import { CodeBlock } from '../../components/text/CodeBlock.tsx';
import type { Finding } from '../finding-queries.ts';
import { type Evidence as Code, languageOf } from './description-parts.ts';
import { SourceLocation } from './SourceLocation.tsx';

/** The affected code, with the line of the finding marked. */
export function Evidence({ finding, evidence }: { finding: Finding; evidence: Code }) {
  const { file, line } = finding;
  const { code, language, first } = evidence;
  return (
    <section aria-labelledby="evidence">
      <Title order={2} id="evidence" mb="xs">
        {text.evidence}
      </Title>
      <CodeBlock
        code={code}
        language={language ?? languageOf(file)}
        label={text.evidenceCode}
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
