import { Pagination } from '@mantine/core';
import * as text from '#strings/components.ts';

interface Props {
  /** The number of pages. With one, nothing is shown. */
  total: number;
  page: number;
  onChange(page: number): void;
}

/** Links to the pages of a list. */
export const Pages = ({ total, page, onChange }: Props) =>
  total > 1 && (
    <Pagination
      total={total}
      value={page}
      onChange={onChange}
      getControlProps={(control) => ({ 'aria-label': text.pages[control] })}
      getItemProps={(number) => ({ 'aria-label': text.pageNumber(number) })}
      mx="auto"
    />
  );
