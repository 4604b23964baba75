import { Button } from '@mantine/core';
import * as text from '#strings/findings/list/filters.tsx';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { IconChevronDown } from '../../../icons/icons.ts';

interface Props<T extends string> {
  label: string;
  options: readonly T[];
  names: Record<T, string>;
  value: readonly T[] | undefined;
  onChange(value: T[] | undefined): void;
}

/** A filter with several values. */
export function MultiFilter<T extends string>({ label, options, names, value = [], onChange }: Props<T>) {
  const { length } = value;
  return (
    <LazyMenu
      closeOnItemClick={false}
      width={190}
      position="bottom-start"
      button={(props) => (
        <Button
          {...props}
          variant="default"
          px="sm"
          fw={length > 0 ? 600 : 400}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {length > 0 ? text.chosen(label, length) : label}
        </Button>
      )}
    >
      {(Menu) => (
        <>
          <Menu.CheckboxGroup
            value={[...value]}
            onChange={(next) => {
              const known = options.filter((one) => next.includes(one));
              onChange(known.length > 0 ? known : undefined);
            }}
          >
            {options.map((one) => (
              <Menu.CheckboxItem key={one} value={one}>
                {names[one]}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
          {length > 0 && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => onChange(undefined)} closeMenuOnClick>
                {text.any}
              </Menu.Item>
            </>
          )}
        </>
      )}
    </LazyMenu>
  );
}
