import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import { useOrg } from '../app/session.ts';
import { byteSize } from '../components/bytes.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { storageQuery } from './queries.ts';

/** The use and the quota of storage. */
export function Storage() {
  const storage = useQuery(storageQuery(useOrg()));
  return (
    <Loaded query={storage}>
      {({ bytes, max_bytes, rows, max_rows }) => (
        <SectionCard title={text.storage} description={text.storageIsLimited} gap={6}>
          <Text size="sm">{text.bytesUsed(byteSize(bytes), byteSize(max_bytes))}</Text>
          <Text size="sm">{text.rowsUsed(rows, max_rows)}</Text>
        </SectionCard>
      )}
    </Loaded>
  );
}
