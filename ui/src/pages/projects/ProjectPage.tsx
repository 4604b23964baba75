import { Page } from '../../parts/Page.tsx';

export function ProjectPage() {
  return <Page title="ProjectPage">…</Page>;
}
