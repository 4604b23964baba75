import { Page } from '../../parts/Page.tsx';

export function Projects() {
  return <Page title="Projects">…</Page>;
}
