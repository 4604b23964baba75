import { Button, Stack } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/projects/transfer.tsx';
import type { Schemas } from '../../app/api.ts';
import { Empty } from '../../components/Empty.tsx';
import { Page } from '../../components/Page.tsx';
import { IconCheck } from '../../icons/icons.ts';

/** The page of a project that is in another organization by now. */
export function Transferred({ transfer }: { transfer: Schemas['ProjectTransfer'] }) {
  const { organization, slug } = transfer;
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Page title={text.transferred}>
      <Empty icon={<IconCheck />} title={text.isThere(organization.name)}>
        <Stack align="center">
          {text.newTokens}
          {site.reaches(organization.slug) && (
            <Button component="a" href={site.orgUrl(organization.slug, `/projects/${slug}`)} size="sm">
              {text.openThere}
            </Button>
          )}
        </Stack>
      </Empty>
    </Page>
  );
}
