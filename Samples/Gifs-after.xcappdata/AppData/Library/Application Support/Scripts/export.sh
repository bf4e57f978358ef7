#!/bin/sh
# makes an export of the week
exec printf 'title,views\n'
