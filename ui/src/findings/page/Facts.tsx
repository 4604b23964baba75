import { Anchor, DataList, Skeleton, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { useOrg } from '../../app/session.ts';
import { Copy, Copyable } from '../../components/Copy.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { scanQuery } from '../../scans/queries.ts';
import type { Finding } from '../finding-queries.ts';
import classes from './Finding.module.css';

const Cvss = lazy(() => import('./cvss/Cvss.tsx').then((m) => ({ default: m.Cvss })));

/** The details of a finding. */
export function Facts({ finding }: { finding: Finding }) {
  const org = useOrg();
  const { cwe, cve, file, source, cvss_score, cvss_vector, project_id } = finding;
  const params = { org: org.slug };
  return (
    <section aria-labelledby="facts" className={classes.facts ?? ''}>
      <Title order={2} id="facts" mb="sm">
        Details
      </Title>
      <DataList size="sm" orientation="vertical" gap="sm">
        <Fact name="Project">
          <ProjectLink id={project_id} />
        </Fact>
        {(cvss_score !== undefined || cvss_vector) && (
          <Fact name="CVSS">
            {!cvss_vector && <strong>{cvss_score?.toFixed(1)}</strong>}
            {cvss_vector && (
              <CatchBoundary
                getResetKey={() => cvss_vector}
                errorComponent={() => <Copyable value={cvss_vector} label="Copy the vector" />}
              >
                <Suspense fallback={<Skeleton h={220} />}>
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
            <LinkAnchor
              to="/o/$org/findings"
              params={params}
              search={{ cwe }}
              size="xs"
              w="fit-content"
              display="block"
            >
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
            <bdi>{file}</bdi>
            <LinkAnchor
              to="/o/$org/findings"
              params={params}
              search={{ project_id, q: file.slice(-MAX_QUERY) }}
              size="xs"
              w="fit-content"
              display="block"
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
          <Ago time={finding.created_at} /> by <ScanLink id={finding.scan_id} />
        </Fact>
        <Fact name="Last seen">
          <Ago time={finding.last_seen_at} /> by <ScanLink id={finding.last_scan_id} />
        </Fact>
        <Fact name="Seen">
          {finding.seen_count === 1 ? 'Once' : `${finding.seen_count.toLocaleString('en')} times`}
        </Fact>
        <Fact name="Status since">
          <Ago time={finding.status_changed_at} />
        </Fact>
        <Fact name="Fingerprint">
          <span className={classes.copied}>
            <code>
              <bdi>{finding.fingerprint}</bdi>
            </code>
            <Copy value={finding.fingerprint} label="Copy the fingerprint" />
          </span>
        </Fact>
        <Fact name="ID">
          <span className={classes.copied}>
            <code>{finding.id}</code>
            <Copy value={finding.id} label="Copy the ID" />
          </span>
        </Fact>
      </DataList>
    </section>
  );
}

/** The maximum length of `q`. */
const MAX_QUERY = 200;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{name}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}

function Outside({ href, children }: { href: string; children: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {children} <IconExternalLink size={12} role="img" aria-label="(opens in a new window)" />
    </Anchor>
  );
}

function ProjectLink({ id }: { id: string }) {
  const org = useOrg();
  const { data } = useQuery(projectsQuery(org));
  const project = data?.find((one) => one.id === id);
  return (
    <LinkAnchor to="/o/$org/projects/$slug" params={{ org: org.slug, slug: project?.slug ?? id }} inherit>
      <bdi>{project?.name ?? id}</bdi>
    </LinkAnchor>
  );
}

function ScanLink({ id }: { id: string }) {
  const org = useOrg();
  const { data } = useQuery({ ...scanQuery(org, id), staleTime: 60_000 });
  return (
    <LinkAnchor to="/o/$org/scans/$id" params={{ org: org.slug, id }} inherit>
      {data ? (
        <bdi>{data.name || data.persona}</bdi>
      ) : (
        <Text span inherit>
          a scan
        </Text>
      )}
    </LinkAnchor>
  );
}
