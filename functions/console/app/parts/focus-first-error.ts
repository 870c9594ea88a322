/** Moves the focus to the first field that is wrong. To be called after the errors are drawn. */
export const focusFirstError = (form: HTMLFormElement | null): void =>
  form
    ?.querySelector(".field-error")
    ?.closest(".field, fieldset")
    ?.querySelector<HTMLElement>("input, select, textarea")
    ?.focus();
