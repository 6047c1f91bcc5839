// SPDX-License-Identifier: Apache-2.0
// What Next wants around every page.
export const metadata = { title: 'next' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
