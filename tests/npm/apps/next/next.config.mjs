// SPDX-License-Identifier: Apache-2.0
// A site of files, for any server. Nothing in it is about the package; the root is one because Next
// itself is not installed in this project.
export default {
  output: 'export', basePath: '/next', trailingSlash: true, turbopack: { root: '/' },
};
