import { ComboboxChevron, type SelectProps, TextInput } from '@mantine/core';
import { useState } from 'react';
import { loadAhead, useParts } from './floating.ts';
import { loadOpened } from './load-opened.ts';

interface Props extends SelectProps {
  data: { value: string; label: string }[];
  'aria-label': string;
}

/** A searchable select whose code is loaded before it is opened for the first time. */
export function LazySelect(props: Props) {
  const parts = useParts();
  const [focused, setFocused] = useState(false);
  if (parts) return <parts.Select {...props} searchable autoFocus={focused} />;
  const { data, value, placeholder, className } = props;
  return (
    <TextInput
      className={className ?? ''}
      aria-label={props['aria-label']}
      placeholder={placeholder ?? ''}
      value={data.find((one) => one.value === value)?.label ?? ''}
      readOnly
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-busy={focused || undefined}
      rightSection={<ComboboxChevron />}
      rightSectionPointerEvents="none"
      onPointerEnter={loadAhead}
      onFocus={() => {
        setFocused(true);
        loadOpened(() => setFocused(false));
      }}
      onBlur={() => setFocused(false)}
    />
  );
}
