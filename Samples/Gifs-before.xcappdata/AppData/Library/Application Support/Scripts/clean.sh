#!/bin/sh
rm -f -- "$TMPDIR"/upload-*.tmp
