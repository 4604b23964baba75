import { Anchor, Skeleton, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { whenUp } from '../../app/server.ts';
import { useOrg } from '../../app/session.ts';
import { Copy, Copyable } from '../../components/Copy.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { scanQuery } from '../../scans/queries.ts';
import { scanName } from '../../scans/scan-name.ts';
import type { Finding } from '../finding-queries.ts';
import { Collapsible } from './Collapsible.tsx';
import classes from './Finding.module.css';

const Cvss = lazy(whenUp(async () => ({ default: (await import('./cvss/Cvss.tsx')).Cvss })));

/** The classification of a finding and where it was seen. Its identifiers are collapsed, except on paper. */
export function Facts({ finding }: { finding: Finding }) {
  const org = useOrg();
  const { cwe, cve, file, source, cvss_score, cvss_vector, project_id } = finding;
  const params = { org: org.slug };
  return (
    <section aria-labelledby="facts" className={classes.facts}>
      <Title order={2} id="facts" mb="xs">
        Details
      </Title>
      <dl className={classes.properties}>
        {(cvss_score !== undefined || cvss_vector) && (
          <Fact name="CVSS">
            {!cvss_vector && <strong>{cvss_score?.toFixed(1)}</strong>}
            {cvss_vector && (
              <CatchBoundary
                getResetKey={() => cvss_vector}
                errorComponent={() => <Copyable value={cvss_vector} label="Copy the vector" />}
              >
                <Suspense fallback={<Skeleton h={48} w="100%" />}>
                  <Cvss vector={cvss_vector} score={cvss_score} />
                </Suspense>
              </CatchBoundary>
            )}
          </Fact>
        )}
        {cwe && (
          <Fact name="Weakness">
            <Outside href={`https://cwe.mitre.org/data/definitions/${cwe.replace(/\D/g, '')}.html`}>
              {cwe}
            </Outside>
            <LinkAnchor to="/o/$org/findings" params={params} search={{ cwe }} size="xs">
              Findings with this CWE
            </LinkAnchor>
          </Fact>
        )}
        {cve && (
          <Fact name="Vulnerability">
            <Outside href={`https://www.cve.org/CVERecord?id=${encodeURIComponent(cve)}`}>{cve}</Outside>
          </Fact>
        )}
        {file && (
          <Fact name="File">
            <LinkAnchor
              to="/o/$org/findings"
              params={params}
              search={{ project_id, q: file.slice(-MAX_QUERY) }}
              size="sm"
            >
              Findings in this file
            </LinkAnchor>
          </Fact>
        )}
        {source && (
          <Fact name="Source">
            <bdi>{source}</bdi>
          </Fact>
        )}
        <Fact name="First seen">
          <span>
            <Ago time={finding.created_at} /> by <ScanLink id={finding.scan_id} />
          </span>
        </Fact>
        <Fact name="Last seen">
          <span>
            <Ago time={finding.last_seen_at} /> by <ScanLink id={finding.last_scan_id} />
          </span>
        </Fact>
        <Fact name="Seen">
          {finding.seen_count === 1 ? 'Once' : `${finding.seen_count.toLocaleString('en')} times`}
        </Fact>
      </dl>
      <Collapsible summary="Identifiers">
        <dl className={classes.properties}>
          <Fact name="ID">
            <Identifier value={finding.id} label="Copy the ID" />
          </Fact>
          <Fact name="Fingerprint">
            <Identifier value={finding.fingerprint} label="Copy the fingerprint" />
          </Fact>
        </dl>
      </Collapsible>
    </section>
  );
}

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

function Fact({ name, children }: { name: string; children: ReactNode }) {
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
      {children} <IconExternalLink size={12} role="img" aria-label="(opens in a new window)" />
    </Anchor>
  );
}

function ScanLink({ id }: { id: string }) {
  const org = useOrg();
  const { data } = useQuery({ ...scanQuery(org, id), staleTime: 60_000 });
  return (
    <LinkAnchor to="/o/$org/scans/$id" params={{ org: org.slug, id }} inherit>
      {data ? (
        <bdi>{scanName(data) || data.persona}</bdi>
      ) : (
        <Text span inherit>
          a scan
        </Text>
      )}
    </LinkAnchor>
  );
}
