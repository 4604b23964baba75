import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends ButtonProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  children: ReactNode;
}

/** Reads the next page of a list. Nothing after the last one. */
export const LoadMore = ({ list, ...props }: Props) =>
  list.hasNextPage && (
    <Button
      variant="default"
      loading={list.isFetchingNextPage}
      onClick={() => list.fetchNextPage()}
      {...props}
    />
  );
