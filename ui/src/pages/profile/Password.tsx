import { Page } from '../../parts/Page.tsx';

export function Password() {
  return <Page title="Password">…</Page>;
}
