import { Anchor, Text, Title } from '@mantine/core';
import { CatchBoundary } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { score } from '#strings/findings/page/cvss.tsx';
import * as text from '#strings/findings/page.tsx';
import { lazyNamed } from '../../app/late.ts';
import { Copy, Copyable } from '../../components/Copy.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconExternalLink } from '../../icons/icons.ts';
import { ScanLink } from '../../scans/ScanLink.tsx';
import type { Finding } from '../finding-queries.ts';
import { Collapsible } from './Collapsible.tsx';
import classes from './Finding.module.css';

export const Cvss = lazyNamed(() => import('./cvss/Cvss.tsx'), 'Cvss');

/**
 * The classification of a finding and where it was seen. Its identifiers are collapsed, except on paper. Suspends until it can
 * explain a CVSS vector.
 */
export function Facts({ finding }: { finding: Finding }) {
  const { cwe, cve, file, rule_id, source, cvss_score, cvss_vector, project_id } = finding;
  return (
    <section aria-labelledby="facts" className={classes.facts}>
      <Title order={2} id="facts" mb="xs">
        {text.details}
      </Title>
      <dl className={classes.properties}>
        {(cvss_score !== undefined || cvss_vector) && (
          <Fact name={text.cvss}>
            {!cvss_vector && <strong>{cvss_score !== undefined && score(cvss_score)}</strong>}
            {cvss_vector && (
              <CatchBoundary
                getResetKey={() => cvss_vector}
                errorComponent={() => <Copyable value={cvss_vector} label={text.copyVector} />}
              >
                <Cvss vector={cvss_vector} score={cvss_score} />
              </CatchBoundary>
            )}
          </Fact>
        )}
        {cwe && (
          <Fact name={text.weakness}>
            <Outside href={`https://cwe.mitre.org/data/definitions/${cwe.replace(/\D/g, '')}.html`}>
              {cwe}
            </Outside>
            <OrgAnchor to="/o/$org/findings" search={{ cwe }} size="xs">
              {text.findingsWithCwe}
            </OrgAnchor>
          </Fact>
        )}
        {cve && (
          <Fact name={text.vulnerability}>
            <Outside href={`https://www.cve.org/CVERecord?id=${encodeURIComponent(cve)}`}>{cve}</Outside>
          </Fact>
        )}
        {file && (
          <Fact name={text.file}>
            <OrgAnchor to="/o/$org/findings" search={{ project_id, q: file.slice(-MAX_QUERY) }} size="sm">
              {text.findingsInFile}
            </OrgAnchor>
          </Fact>
        )}
        {rule_id && (
          <Fact name={text.rule}>
            <bdi>{rule_id}</bdi>
            <OrgAnchor to="/o/$org/findings" search={{ rule: rule_id }} size="xs">
              {text.findingsOfRule}
            </OrgAnchor>
          </Fact>
        )}
        {source && (
          <Fact name={text.source}>
            <bdi>{source}</bdi>
          </Fact>
        )}
        <Seen name={text.firstSeen} time={finding.created_at} scan={finding.scan_id} />
        <Seen name={text.lastSeen} time={finding.last_seen_at} scan={finding.last_scan_id} />
        <Fact name={text.seen}>{text.timesSeen(finding.seen_count)}</Fact>
      </dl>
      <Collapsible summary={text.identifiers}>
        <dl className={classes.properties}>
          <Fact name={text.id}>
            <Identifier value={finding.id} label={text.copyId} />
          </Fact>
          <Fact name={text.fingerprint}>
            <Identifier value={finding.fingerprint} label={text.copyFingerprint} />
          </Fact>
        </dl>
      </Collapsible>
    </section>
  );
}

/** When and by which scan a finding was seen. The scan is in a line of its own, because its name arrives later. */
const Seen = ({ name, time, scan }: { name: string; time: string; scan: string }) => (
  <Fact name={name}>
    <Text span size="sm" w="100%">
      <Ago time={time} />
    </Text>
    <Text span size="sm" w="100%" truncate>
      <ScanLink id={scan} />
    </Text>
  </Fact>
);

function Identifier({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copied}>
      <code>
        <bdi>{value}</bdi>
      </code>
      <Copy value={value} label={label} />
    </span>
  );
}

/** The maximum length of `q`. */
const MAX_QUERY = 200;

/** A name and its value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Outside({ href, children }: { href: string; children: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {children} <IconExternalLink size={12} role="img" aria-label={text.opensNewWindow} />
    </Anchor>
  );
}
