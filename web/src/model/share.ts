// SPDX-License-Identifier: Apache-2.0
// How long a link may be to be of use: chats cut what is longer than two thousand letters, most
// other places what is longer than eight thousand.
const kChat = 2000;
const kMost = 8000;

export const kFits = {
  short: 'fits everywhere, also into chats',
  long: 'too long for many chats; mails and notes take it',
  tooLong: 'too long for most places: save the state as a file',
} as const;

export function fitOf(length: number): keyof typeof kFits {
  return length <= kChat ? 'short' : length <= kMost ? 'long' : 'tooLong';
}

/** Of an address: whether the program is in it. */
export const hasProgram = (hash: string): boolean => /[#&](?:ex|z)=/.test(hash);
