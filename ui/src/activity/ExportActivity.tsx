import { Button } from '@mantine/core';
import * as text from '#strings/activity.ts';
import { ServiceError } from '../app/api.ts';
import { stringifySearch } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { saveFile } from '../components/save-file.ts';
import { IconDownload } from '../icons/icons.ts';
import type { ActivityFilter } from './queries.ts';

/** Downloads all matching entries. A link cannot be used, because it cannot send the header that names the organization. */
export function ExportActivity({ filter }: { filter: ActivityFilter }) {
  const { slug } = useOrg();
  const exporting = useAction({
    mutationFn: async () => {
      const headers = { 'x-org-slug': slug };
      const response = await fetch(`/api/v1/activity/export.csv${stringifySearch(filter)}`, { headers });
      if (!response.ok) throw new ServiceError(response, await response.json().catch(() => undefined));
      const said = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      saveFile(new File([await response.blob()], said ?? 'activity.csv', { type: 'text/csv' }));
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {text.exportCsv}
    </Button>
  );
}
