import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/demo.tsx';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { SectionCard } from '../components/SectionCard.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { refreshOrg } from './tour.ts';

/** Fills an organization without findings. @param props `onAdded` is called before the data is read */
export function AddDemoData({ onAdded }: { onAdded: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const add = useAction({
    mutationFn: () => org.api.post('/projects/demo'),
    onSuccess: async () => {
      // The dashboard takes the place of the first steps with its projects, among them the demo project, which has a tour.
      await queries.query({ ...projectsQuery(org), staleTime: 0 });
      onAdded();
      await refreshOrg(queries, org);
    },
  });
  if (!org.may('createDemoProject')) return null;
  return (
    <SectionCard title={text.lookAround} description={text.whatDemoIs}>
      <Group>
        <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
          {text.addDemoData}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {add.isPending && text.addingDemoData}
        </Text>
      </Group>
    </SectionCard>
  );
}
