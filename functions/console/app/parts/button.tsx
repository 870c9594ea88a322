import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "class" | "type" | "icon"> & {
  kind?: "main" | "danger" | "plain" | "link";
  type?: "button" | "submit";
  isRunning?: boolean;
  children: ComponentChildren;
};

/** While the action runs, the button keeps its focus and its size, and does nothing. */
export const Button = ({
  kind = "plain",
  type = "button",
  isRunning = false,
  onClick,
  children,
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={type}
    class={`button ${kind}`}
    aria-disabled={isRunning || undefined}
    aria-busy={isRunning || undefined}
    onClick={(event) => {
      if (isRunning) event.preventDefault();
      else onClick?.(event);
    }}
  >
    {children}
  </button>
);
