import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/scans/names.ts';
import { useOrg } from '../app/session.ts';
import { OrgAnchor } from '../components/links.tsx';
import { scanQuery } from './queries.ts';
import { scanName } from './scan-name.ts';

/** A link to a scan in a sentence, with its name once it is known. */
export function ScanLink({ id }: { id: string }) {
  const { data } = useQuery({ ...scanQuery(useOrg(), id), staleTime: 60_000 });
  return (
    <OrgAnchor to="/o/$org/scans/$id" params={{ id }} inherit underline="always">
      <bdi>{data ? scanName(data) : text.aScan}</bdi>
    </OrgAnchor>
  );
}
