// SPDX-License-Identifier: Apache-2.0
// Rows that are drawn anew only when they show something else: most of a list stays as it is.
import { Component, type ComponentChildren } from 'preact';

function differ(a: object, b: object): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return true;
  return names.some((name) => !Object.is(a[name as keyof typeof a], b[name as keyof typeof b]));
}

/**
 * The component, drawn anew when one of its props is another one and at no other time. So functions
 * among them have to be the same ones each time, and it must not read signals.
 */
export function whenChanged<Props extends object>(draw: (props: Props) => ComponentChildren) {
  return class WhenChanged extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return differ(this.props, next);
    }

    override render(): ComponentChildren {
      return draw(this.props);
    }
  };
}
