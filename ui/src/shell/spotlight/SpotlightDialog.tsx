import { Box, Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useId, useState } from 'react';
import * as words from '#strings/shell/spotlight.ts';
import { Advice } from '../../components/errors/Problem.tsx';
import { IconSearch } from '../../icons/icons.ts';
import { MIN_TEXT, type PaletteDialog, useDestinations } from './destinations.tsx';
import classes from './Spotlight.module.css';

/** The pause after which a search starts. */
const PAUSE_MS = 200;

interface Props {
  onClose(): void;
  onDialog(dialog: PaletteDialog): void;
}

/** Searches pages, views, actions, projects, members, settings, organizations and findings. */
export function SpotlightDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal.Root
      opened={opened}
      onClose={props.onClose}
      size={620}
      yOffset="12dvh"
      transitionProps={{ duration: 100 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={words.search}>
        <Modal.Body p={0}>
          <Palette {...props} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Palette({ onClose, onDialog }: Props) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { groups, isSearching, error } = useDestinations(text.trim(), settled, onDialog);
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const { selectFirstOption } = combobox;
  const listId = useId();
  // The list must exist before the field can refer to it.
  const [, setListed] = useState(false);
  // Enter opens the first result. Later results are added below, so the selection stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each text anew
  useEffect(() => {
    selectFirstOption();
    setListed(true);
  }, [text, selectFirstOption]);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);

  return (
    <Combobox store={combobox}>
      <Combobox.EventsTarget withExpandedAttribute autoComplete="off">
        <TextInput
          data-autofocus
          aria-label={words.search}
          placeholder={words.whatToSearch}
          size="lg"
          variant="unstyled"
          classNames={{ wrapper: classes.search }}
          leftSection={<IconSearch size={20} aria-hidden />}
          rightSection={isSearching && <Loader size="xs" />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Text className={classes.count} role="status">
        {isSearching ? words.searching : words.resultCount(count)}
      </Text>
      <Combobox.Options id={listId} aria-label={words.results} className={classes.options}>
        {groups.map(({ name, items }) => (
          <Combobox.Group key={name} label={name}>
            {items.map(({ id, label, about, icon, go }) => (
              <Combobox.Option
                key={id}
                value={id}
                className={classes.option ?? ''}
                onClick={() => {
                  onClose();
                  go();
                }}
              >
                <span className={classes.icon}>{icon}</span>
                <Text span size="sm" truncate className={classes.label}>
                  <bdi>{label}</bdi>
                </Text>
                {about !== undefined && (
                  <Text span size="xs" c="dimmed" truncate className={classes.about} visibleFrom="xs">
                    <bdi>{about}</bdi>
                  </Text>
                )}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      {error !== null && (
        <Box p="md" role="alert">
          <Text size="sm">{words.searchFailed}</Text>
          <Advice error={error} />
        </Box>
      )}
      {count === 0 && (
        <Text size="sm" c="dimmed" p="md" ta="center">
          {text.trim().length < MIN_TEXT ? words.noResultsYet : words.noResults}
        </Text>
      )}
    </Combobox>
  );
}
