import { MutationObserver, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { type OrgSession, useOrg } from '../app/session.ts';
import { createUploads, type Uploads } from './queue.ts';
import { sendReport } from './send-report.ts';
import type { Upload } from './upload.ts';

/** The most characters of the name of a scan. */
const MAX_NAME = 200;

/** The uploads of the calling component. They end with it. */
export function useUploads(): Uploads {
  const queries = useQueryClient();
  const org: OrgSession = useOrg();
  const [uploads] = useState(() =>
    createUploads({
      // As a mutation, so that an ended session is noticed like everywhere.
      send: ({ label, file, projectId, options }, events) => {
        const name = options.name || [...label].slice(0, MAX_NAME).join('');
        const report = { org: org.slug, file, projectId, options: { ...options, name } };
        return new MutationObserver(queries, { mutationFn: () => sendReport(report, events) }).mutate();
      },
      // An import changes scans, findings and the numbers of projects.
      onChanged: () => queries.invalidateQueries({ queryKey: ['org', org.slug] }),
    }),
  );
  useEffect(() => uploads.cancelAll, [uploads]);
  return uploads;
}

export const useUploadList = (uploads: Uploads): readonly Upload[] =>
  useSyncExternalStore(uploads.list.subscribe, uploads.list.get);
