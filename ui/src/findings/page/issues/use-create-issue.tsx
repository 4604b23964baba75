import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/findings/page/issues.tsx';
import type { Schemas } from '../../../app/api.ts';
import { useOrg } from '../../../app/session.ts';
import { openConfirm } from '../../../components/dialogs/confirm.ts';
import { useAction } from '../../../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../../../components/errors/toasts.ts';
import type { Finding } from '../../finding-queries.ts';
import { isSettled } from '../../views.ts';
import { issuesKey } from './queries.ts';

/** Why a finding should have no issue. The service creates one only with `force`. */
function whyAsked({ status, regressed, reason, proposed }: Finding): string | undefined {
  if (reason === 'duplicate') return text.whyAsked.duplicate;
  if (isSettled(status) && !regressed) return text.whyAsked.resolved;
  return proposed ? text.whyAsked.proposed : undefined;
}

/** Creates an issue of a finding. `ask` asks first if the finding should have none. */
export function useCreateIssue(finding: Finding, onCreated?: () => void) {
  const org = useOrg();
  const refresh = useRefreshIssues(finding.id);
  const create = useAction({
    mutationFn: (body: Schemas['NewIssue']) =>
      org.api.post('/findings/{id}/issues', { params: { path: { id: finding.id } }, body }),
    async onSuccess() {
      onCreated?.();
      showSuccess(text.created);
      await refresh();
    },
  });
  function ask(body: Schemas['NewIssue']): void {
    const why = body.url === undefined ? whyAsked(finding) : undefined;
    if (why === undefined) create.mutate(body);
    else
      openConfirm({
        title: text.askForce,
        children: <Text size="sm">{why}</Text>,
        confirm: text.createAnyway,
        onConfirm: () => create.mutate({ ...body, force: true }),
      });
  }
  return { ...create, ask };
}

/** Reads the issues of a finding again. */
export function useRefreshIssues(id: string): () => Promise<void> {
  const org = useOrg();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: issuesKey(org, id) });
}
