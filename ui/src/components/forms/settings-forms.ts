import { createContext, useContext } from 'react';
import { createStore, type Store } from '../../app/store.ts';
import { focusFirstError } from './first-error.ts';

/** A form of a settings page. */
export interface SettingsForm {
  title: string;
  isDirty(): boolean;
  /** Whether the values are valid. Shows the errors. */
  validate(): boolean;
  /** @returns whether the values were saved; errors are shown in the form */
  save(): Promise<boolean>;
  discard(): void;
  /** Saved after the others, because the page may move to another address. */
  isLast: boolean;
}

/** The content of the bar that saves. */
interface Summary {
  /** The titles of forms with unsaved values. */
  unsaved: readonly string[];
  forms: number;
  isSaving: boolean;
}

/** The forms of a settings page, which are saved together. */
export interface SettingsForms {
  summary: Store<Summary>;
  /** Adds a form, or what has changed in it. */
  report(id: string, form: SettingsForm): void;
  remove(id: string): void;
  hasUnsaved(): boolean;
  /** Saves the forms with unsaved values, unless one of them is invalid. Stops at the first that is not saved. */
  save(): Promise<void>;
  discard(): void;
}

export function createSettingsForms(): SettingsForms {
  const forms = new Map<string, SettingsForm>();
  const summary = createStore<Summary>({ unsaved: [], forms: 0, isSaving: false });
  const unsaved = () =>
    [...forms.values()].filter((form) => form.isDirty()).sort((a, b) => Number(a.isLast) - Number(b.isLast));
  const update = (isSaving = summary.get().isSaving) => {
    const before = summary.get();
    const titles = unsaved().map(({ title }) => title);
    const isSame =
      before.forms === forms.size &&
      before.isSaving === isSaving &&
      before.unsaved.join('\n') === titles.join('\n');
    if (!isSame) summary.set({ unsaved: titles, forms: forms.size, isSaving });
  };
  return {
    summary,
    report(id, form) {
      forms.set(id, form);
      update();
    },
    remove(id) {
      forms.delete(id);
      update();
    },
    hasUnsaved: () => !summary.get().isSaving && unsaved().length > 0,
    async save() {
      if (summary.get().isSaving) return;
      const changed = unsaved();
      // All are validated, so that all errors are shown.
      if (changed.map((form) => form.validate()).includes(false)) return focusFirstError();
      update(true);
      try {
        for (const form of changed) if (!(await form.save())) break;
      } finally {
        update(false);
      }
    },
    discard() {
      for (const form of unsaved()) form.discard();
    },
  };
}

export const SettingsFormsContext = createContext<SettingsForms | undefined>(undefined);

/** The forms of the page. Available below `SettingsSections`. */
export function useSettingsForms(): SettingsForms {
  const forms = useContext(SettingsFormsContext);
  if (!forms) throw new Error('A settings form needs SettingsSections.');
  return forms;
}
