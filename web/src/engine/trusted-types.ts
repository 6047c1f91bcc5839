// SPDX-License-Identifier: Apache-2.0
// Where a server demands Trusted Types, addresses of scripts go through this policy: workers of
// this origin, and nothing else. What starts workers imports it, so that it is there before them.
interface TypePolicies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string | null }): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: TypePolicies };

trustedTypes?.createPolicy('default', {
  createScriptURL: (url) =>
    new URL(url, document.baseURI).origin === location.origin ? url : null,
});
