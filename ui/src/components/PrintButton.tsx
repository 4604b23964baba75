import { Button } from '@mantine/core';
import * as text from '#strings/components.ts';
import { IconPrinter } from '../icons/icons.ts';

/** Prints the page. */
export const PrintButton = () => (
  <Button
    variant="default"
    leftSection={<IconPrinter size={16} aria-hidden />}
    onClick={() => window.print()}
  >
    {text.printReport}
  </Button>
);
